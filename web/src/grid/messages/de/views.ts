import type {views as en} from '../en/views'

export const views: typeof en = {}
