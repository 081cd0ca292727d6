import type {filter as en} from '../en/filter'

export const filter: typeof en = {}
