import type {palette as en} from '../en/palette'

export const palette: typeof en = {}
