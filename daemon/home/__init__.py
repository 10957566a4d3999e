"""The home: entities, how they are named, and which of them an utterance means."""
