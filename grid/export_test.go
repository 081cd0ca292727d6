package grid

// Few is few.
const Few = few
