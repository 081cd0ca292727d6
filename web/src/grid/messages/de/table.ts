import type {table as en} from '../en/table'

export const table: typeof en = {}
