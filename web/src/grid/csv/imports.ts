// The server's imports, as docs/http.md describes them.
import type {CustomFieldType} from '../../gql/graphql'
import {authorization, ofBodies, problemsOf, type ErrorBody, type Problem} from '../data/client'
import {messages} from '../messages'
import type {Project} from '../model/columns'

/** What a column of a file can become besides a field. */
export const builtins = ['name', 'state', 'description', 'num', 'rowKey', 'createdAt', 'updatedAt', 'projectKey', 'projectName'] as const

export type Builtin = (typeof builtins)[number]

/** The decimal separator of numbers; without one they are as programs write them. */
export type Decimal = '.' | ','

/** What a column of the file becomes. Members that the dialog does not edit are kept. */
export interface MappedColumn {
  column: string
  to?: Builtin | 'field' | 'skip'
  name?: string
  type?: CustomFieldType
  newOptions?: boolean
  ignoreCase?: boolean
  separator?: string
  quotes?: boolean
  decimal?: Decimal
  formats?: string[]
  zone?: string
}

/** How the file is read. The server detects what is not given. */
export interface Reading {
  encoding?: string
  /** One character. */
  delimiter?: string
  /** The line with the names of the columns, 0 if there is none. */
  header?: number
}

export interface Mapping extends Reading {
  columns: MappedColumn[]
  /** CONTENT if no column identifies the rows. */
  rowKey?: 'CONTENT'
}

export interface Summary {
  rows: number
  added: number
  changed: number
  unchanged: number
  rejected: number
  /** Rows whose names lost invisible characters. */
  cleaned: number
  /** Rows without content, which are skipped and not counted in `rows`. */
  blank: number
  /** Rows before the header. */
  skipped: number
  projects: {key: string; added: number; changed: number; unchanged: number}[]
  /** What the projects get, such as new fields. */
  definitions: string[]
  /** Sentences on what was assumed where the mapping says nothing. */
  notes: string[]
  reasons: {column: string; reason: string; rows: number}[]
  /** The first faults of rejected rows; a row may have several. */
  rejects: {line: number; column: string; reason: string; detail: string}[]
}

/** What the cells of a column can be. */
export interface Choice {
  type: CustomFieldType
  decimal?: Decimal
  formats?: string[]
  /** A cell, and its value with this choice, as the API writes it. It has another value with each choice, if there is such a cell. */
  cell: string
  value: string
}

/** A column of the file. */
export interface FileColumn {
  column: string
  type: CustomFieldType
  /** What the cells need as numbers and as times, if that is clear. */
  decimal?: Decimal
  formats?: string[]
  /** What the cells can be, if that is not clear. */
  choices?: Choice[]
  empty: number
  samples: string[]
}

export interface Settings {
  onlyNew: boolean
  removeApostrophes: boolean
}

export interface Import extends Settings {
  id: string
  name: string
  bytes: number
  expiresAt: string
  dryRun: boolean
  status: 'WAITING' | 'RUNNING' | 'DONE' | 'FAILED' | 'CANCELED'
  progress: {stage: string; done: number; total: number} | null
  mapping: Mapping | null
  /** How the file was read. */
  reading: (Required<Pick<Reading, 'encoding' | 'header'>> & Reading & {format: 'CSV' | 'JSON_LINES'}) | null
  summary: Summary | null
  columns: FileColumn[] | null
  errors: ErrorBody[]
  /** The path of the rejected rows. */
  rejects: string | null
}

export const isOpen = ({status}: Pick<Import, 'status'>): boolean => status === 'WAITING' || status === 'RUNNING'

/** A response with an error. */
export class Refused extends Error {
  readonly status: number
  readonly problems: readonly Problem[]

  constructor(status: number, problems: readonly Problem[]) {
    super(problems[0]!.message)
    this.status = status
    this.problems = problems
  }
}

/** Returns all problems of an error, at least one. */
export const problemsIn = (error: unknown): readonly Problem[] => (error instanceof Refused ? error.problems : problemsOf(error))

/** The requests of an import. They throw Refused, or a TypeError if the server cannot be reached. */
export interface Server {
  /** Uploads a file and begins a dry run. `sent` is called with the number of bytes sent. */
  upload(file: File, settings: Settings, sent: (bytes: number) => void, signal: AbortSignal): Promise<Import>
  show(id: string): Promise<Import>
  start(id: string, settings: Settings & {dryRun: boolean; mapping: Mapping | Reading}): Promise<Import>
  cancel(id: string): Promise<Import>
  /** Downloads the rejected rows. */
  rejects(path: string): Promise<Blob>
}

/** Returns the server's imports into a project. */
export function serverOf({key: project, tenant}: Pick<Project, 'key' | 'tenant'>): Server {
  const send = async (path: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(path, {...init, headers: authorization()})
    if (!response.ok) throw refusal(response.status, await response.text())
    return response
  }
  const json = async (path: string, init?: RequestInit) => (await (await send(path, init)).json()) as Import
  return {
    upload: (file, settings, sent, signal) =>
      new Promise((resolve, reject) => {
        // fetch does not report the progress of uploads.
        const request = new XMLHttpRequest()
        const query = new URLSearchParams({projectKey: project, name: file.name, dryRun: 'true', ...(tenant ? {tenantId: tenant.id} : {})})
        for (const [name, value] of Object.entries(settings)) query.set(name, String(value))
        request.open('POST', `/imports?${query.toString()}`)
        for (const [name, value] of Object.entries(authorization())) request.setRequestHeader(name, value)
        request.upload.onprogress = e => sent(e.loaded)
        request.onload = () =>
          request.status === 201 ? resolve(JSON.parse(request.responseText) as Import) : reject(refusal(request.status, request.responseText))
        // eslint-disable-next-line no-restricted-syntax -- problemOf tells it in other words
        request.onerror = () => reject(new TypeError('network failure'))
        // eslint-disable-next-line no-restricted-syntax -- not shown: the dialog is closed
        request.onabort = () => reject(new DOMException('The upload was stopped.', 'AbortError'))
        signal.addEventListener('abort', () => request.abort())
        request.send(file)
      }),
    show: id => json(`/imports/${id}`),
    start: (id, settings) => json(`/imports/${id}`, {method: 'POST', body: JSON.stringify({projectKey: project, ...settings})}),
    cancel: id => json(`/imports/${id}`, {method: 'DELETE'}),
    rejects: async path => (await send(path)).blob(),
  }
}

function refusal(status: number, body: string): Refused {
  try {
    const {errors} = JSON.parse(body) as {errors: ErrorBody[]}
    return new Refused(status, ofBodies(errors))
  } catch {
    // not in the server's format, such as that of a proxy
    const reasons: Record<number, string> = messages.files.errors.statuses
    const message = reasons[status] ?? messages.files.errors.status(status)
    return new Refused(status, [{code: status >= 500 ? 'UNAVAILABLE' : 'INTERNAL', message}])
  }
}
