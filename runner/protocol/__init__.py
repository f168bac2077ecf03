"""The line protocol between referee and bot: what each message is, and its bytes. Pure."""
