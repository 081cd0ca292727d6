import type {files as en} from '../en/files'

export const files: typeof en = {}
