import type {model as en} from '../en/model'

export const model: typeof en = {}
