import inspect
import pickle

import pytest

from runner import errors

CLASSES = [kind for _, kind in inspect.getmembers(errors, inspect.isclass)]


@pytest.mark.parametrize("kind", CLASSES)
def test_error_pickled_and_back_says_the_same(kind):
    error = pickle.loads(pickle.dumps(kind("what was wrong", "what came")))
    assert type(error) is kind
    assert error.args == ("what was wrong", "what came")


@pytest.mark.parametrize("kind", CLASSES)
def test_error_has_the_common_base_and_stands_in_the_drawn_tree(kind):
    assert issubclass(kind, errors.LetzterError)
    assert kind.__name__ in (errors.__doc__ or "")
    # The depth of a class in the drawing is its depth in the tree.
    line = next(each for each in errors.__doc__.split("\n") if f"{kind.__name__} " in f"{each} ")
    depth = (len(line) - len(line.lstrip("│├└─ \t"))) // 4
    assert len(kind.__mro__) - len(errors.LetzterError.__mro__) == depth - 1
