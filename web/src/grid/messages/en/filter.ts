export const filter = {}
