"""What people read: listings in the terminal and exports, all from the same functions."""
