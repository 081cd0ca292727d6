export const palette = {}
