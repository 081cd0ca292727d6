import type {bulk as en} from '../en/bulk'

export const bulk: typeof en = {}
