export const data = {}
