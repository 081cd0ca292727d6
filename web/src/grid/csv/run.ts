// An import from the choice of the file to its result. The server does the work; this uploads the file, asks for the progress, and keeps the mapping that the
// user edits. It depends on neither React nor the network: tests replace the server.
import type {Problem} from '../data/client'
import {Store} from '../data/store'
import {isOpen, problemOf, problemsIn, Refused, type Import, type Mapping, type Server, type Settings} from './imports'
import {isPassing} from './pauses'

export interface RunState {
  /** In `review`, the user reads the result of the dry run and edits the mapping. In `refused`, there is nothing to review. */
  phase: 'uploading' | 'checking' | 'review' | 'refused' | 'importing' | 'done'
  /** The number of bytes sent. */
  sent: number
  /** The import as the server last showed it. */
  shown: Import | null
  /** The last dry run. */
  checked: Import | null
  mapping: Mapping | null
  settings: Settings
  /** Whether the mapping or the settings have changed since the dry run. */
  edited: boolean
  /** Why the last request failed, or the import did. */
  problems: readonly Problem[]
  /** Why the server does not respond to requests for the progress, which are repeated. */
  silent: Problem | null
  canceling: boolean
}

/** The pauses between requests for the progress in milliseconds; the last one is repeated. */
const pauses = [100, 200, 400, 800, 1500]

export class ImportRun extends Store<RunState> {
  /** The name of the file, and its size in bytes. */
  readonly file: Pick<File, 'name' | 'size'>
  private readonly server: Server
  private readonly adjust: (inferred: Mapping) => Mapping | null
  private readonly pause: (ms: number) => Promise<void>
  private readonly stop = new AbortController()

  /** `adjust` may change the mapping that the server has inferred, before the user sees it; it returns null if it does not. */
  constructor(file: Pick<File, 'name' | 'size'>, server: Server, adjust: (inferred: Mapping) => Mapping | null = () => null, pause = wait) {
    super({
      phase: 'uploading',
      sent: 0,
      shown: null,
      checked: null,
      mapping: null,
      settings: {onlyNew: false, removeApostrophes: true},
      edited: false,
      problems: [],
      silent: null,
      canceling: false,
    })
    this.file = file
    this.server = server
    this.adjust = adjust
    this.pause = pause
  }

  /** Uploads the file, and checks it. */
  async upload(file: File): Promise<void> {
    this.set({phase: 'uploading', sent: 0, problems: []})
    try {
      const shown = await this.server.upload(file, this.state.settings, sent => this.set({sent}), this.stop.signal)
      this.set({shown, phase: 'checking'})
      if (this.stopped()) return void this.server.cancel(shown.id).catch(() => undefined)
      await this.follow()
    } catch (error) {
      if (!this.stopped()) this.set({phase: 'refused', problems: problemsIn(error)})
    }
  }

  /** Follows an import that was begun before the page was loaded. */
  async resume(id: string): Promise<void> {
    try {
      const shown = await this.server.show(id)
      if (shown.dryRun) throw new Error('the import was not begun')
      this.set({shown, phase: 'importing'})
      await (isOpen(shown) ? this.follow() : this.ended(shown))
    } catch (error) {
      this.set({phase: 'refused', problems: problemsIn(error)})
    }
  }

  edit = (mapping: Mapping): void => this.set({mapping, edited: true, problems: []})

  /** Changes the settings. Apostrophes are in the names of columns as well, so without them the mapping is inferred again. */
  configure = (change: Partial<Settings>): void =>
    this.set({
      settings: {...this.state.settings, ...change},
      ...(change.removeApostrophes === undefined ? {} : {mapping: null}),
      edited: true,
      problems: [],
    })

  /** Makes a dry run with the mapping. */
  check = (): Promise<void> => this.start(true)

  /** Imports the file. */
  begin = (): Promise<void> => this.start(false)

  cancel = async (): Promise<void> => {
    const {shown, canceling} = this.state
    if (!shown || canceling) return
    this.set({canceling: true})
    try {
      this.set({shown: await this.server.cancel(shown.id)})
    } catch (error) {
      // It may have ended; then the progress says so.
      const ended = error instanceof Refused && error.status === 409
      this.set({canceling: ended, problems: ended ? [] : problemsIn(error)})
    }
  }

  /** Ends the requests, and a dry run. The server continues an import. */
  close = (): void => {
    const {phase, shown} = this.state
    this.stop.abort()
    if (phase === 'checking' && shown) void this.server.cancel(shown.id).catch(() => undefined)
  }

  private stopped = (): boolean => this.stop.signal.aborted

  private async start(dryRun: boolean): Promise<void> {
    const {shown, mapping, settings} = this.state
    if (!shown) return
    const id = shown.id
    try {
      this.set({problems: [], canceling: false})
      const started = await this.server.start(id, {...settings, dryRun, ...(mapping ? {mapping} : {})})
      this.set({shown: started, phase: dryRun ? 'checking' : 'importing'})
    } catch (error) {
      // The response to an earlier attempt may have been lost.
      const again = error instanceof Refused && error.status === 409
      if (!again) return this.set({problems: problemsIn(error)})
      this.set({phase: dryRun ? 'checking' : 'importing'})
    }
    await this.follow()
  }

  /** Asks for the progress until the import has ended. */
  private async follow(): Promise<void> {
    const {id} = this.state.shown!
    for (let i = 0; !this.stopped(); i++) {
      await this.pause(pauses[Math.min(i, pauses.length - 1)]!)
      if (this.stopped()) return
      try {
        const shown = await this.server.show(id)
        this.set({shown, silent: null, phase: shown.dryRun ? 'checking' : 'importing'})
        if (!isOpen(shown)) return await this.ended(shown)
      } catch (error) {
        const [problem] = problemsIn(error)
        if (!isPassing(problem!)) {
          return this.set({silent: null, problems: [problem!], phase: this.state.checked ? 'review' : 'refused'})
        }
        this.set({silent: problem!})
      }
    }
  }

  private async ended(shown: Import): Promise<void> {
    const problems = shown.errors.map(problemOf)
    if (!shown.dryRun) return this.set({phase: 'done', problems, canceling: false})
    if (!shown.columns || !shown.mapping || shown.status === 'CANCELED') {
      const reason: Problem[] = problems.length > 0 ? problems : [{code: 'INTERNAL', message: 'The check of the file was canceled.'}]
      return this.set({phase: this.state.checked ? 'review' : 'refused', problems: reason, canceling: false})
    }
    const adjusted = this.state.mapping ? null : this.adjust(shown.mapping)
    this.set({checked: shown, mapping: adjusted ?? shown.mapping, edited: false, problems, canceling: false, phase: 'review'})
    if (adjusted) await this.check()
  }

  private set(change: Partial<RunState>): void {
    this.replaceState({...this.state, ...change})
  }
}

const wait = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
