import type {projects as en} from '../en/projects'

export const projects: typeof en = {}
