"""The referee: playing one sitting with real bot processes, and trying a single bot."""
