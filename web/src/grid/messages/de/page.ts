import type {page as en} from '../en/page'

export const page: typeof en = {}
