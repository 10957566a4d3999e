"""What every process needs: configuration, control socket, storage, workers."""
