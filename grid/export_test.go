package grid

// LowMemoryBatch exports lowMemoryBatch.
const LowMemoryBatch = lowMemoryBatch
