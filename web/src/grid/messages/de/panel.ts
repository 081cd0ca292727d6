import type {panel as en} from '../en/panel'

export const panel: typeof en = {}
