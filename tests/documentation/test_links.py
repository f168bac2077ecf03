"""What the documents point to is there."""

import re
from pathlib import Path

import pytest

from tests.documentation.markdown import DOCUMENTS, ROOT, anchors, blocks, codes, links, text_of

MADE = {"leagues/spring.db"}
"""Files that only playing makes."""

FOLDERS = ("bots", "leagues", "runner", "scripts", "tests")
ENDINGS = (".py", ".md", ".sh", ".yaml", ".json", ".jsonl", ".toml", ".txt")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_to_files_and_headings(document):
    for link in links(document):
        if "://" in link:
            continue
        path, _, anchor = link.partition("#")
        target = ((ROOT / document).parent / path if path else ROOT / document).resolve()
        assert target.exists(), f"{document}: {link}"
        if anchor:
            name = str(target.relative_to(ROOT))
            assert anchor in anchors(name), f"{document}: {link}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_named_files_exist(document):
    words = set(codes(text_of(document)))
    for block in blocks(document):
        words |= set(block.text.split())
    folder = (ROOT / document).parent
    for word in words - MADE:
        path = word.removeprefix("./")
        if not re.fullmatch(r"[\w.-]+(/[\w.-]+)+/?", path):
            continue
        if Path(path).suffix in ENDINGS or path.split("/")[0] in FOLDERS:
            assert (ROOT / path).exists() or (folder / path).exists(), f"{document}: {word}"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_no_path_of_a_machine_is_named(document):
    found = re.findall(
        r"(?<![\w.:/])/(?:work|tmp|home|root|Users)\b|\.\./shared", text_of(document)
    )
    assert not found


def test_every_readme_is_a_known_document():
    readmes = {str(path.relative_to(ROOT)) for path in ROOT.glob("*/**/README.md")}
    hidden = {path for path in readmes if path.startswith(".")}
    assert readmes - hidden == {path for path in DOCUMENTS if "/" in path}
