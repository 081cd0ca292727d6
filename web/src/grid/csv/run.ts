// An import from the choice of the file to its result. The server does the work; this uploads the file, asks for the progress, and keeps the mapping that the
// user edits. It depends on neither React nor the network: tests replace the server.
import {ofBodies, type Problem} from '../data/client'
import {Store} from '../data/store'
import {messages} from '../messages'
import {isOpen, problemsIn, Refused, type Import, type Mapping, type Reading, type Server, type Settings} from './imports'
import {passesAlone} from './pauses'

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
  /** How the user says that the file is read. */
  reading: Reading
  settings: Settings
  /** Whether the mapping or the settings have changed since the dry run. */
  edited: boolean
  /** Whether the request that starts a dry run or the import has no response yet. */
  starting: boolean
  /** What is wrong with the file or the mapping, or why the import failed. */
  problems: readonly Problem[]
  /** Why the last request failed. It can be sent again. */
  failures: readonly Problem[]
  /** Why the server does not respond to requests for the progress, which are repeated. */
  silent: Problem | null
  canceling: boolean
}

/** The pauses between requests for the progress in milliseconds; the last one is repeated. */
const pauses = [100, 200, 400, 800, 1500]

export class ImportRun extends Store<RunState> {
  /** The name of the file, and its size in bytes. */
  readonly file: Pick<File, 'name' | 'size'>
  /** Whether a dialog shows the import, so that nothing else needs to tell its end. */
  watched = false
  private readonly server: Server
  private readonly adjust: (inferred: Mapping) => Mapping | null
  private readonly pause: (ms: number) => Promise<void>
  private readonly stop = new AbortController()
  /** What is shown again if the file cannot be read differently. */
  private former: Pick<RunState, 'mapping' | 'reading' | 'phase'> | null = null
  /** Whether the last request that was sent starts a dry run. */
  private dryRun = true

  /** `adjust` may change the mapping that the server has inferred, before the user sees it; it returns null if it does not. */
  constructor(file: Pick<File, 'name' | 'size'>, server: Server, adjust: (inferred: Mapping) => Mapping | null = () => null, pause = wait) {
    super({
      phase: 'uploading',
      sent: 0,
      shown: null,
      checked: null,
      mapping: null,
      reading: {},
      settings: {onlyNew: false, removeApostrophes: true},
      edited: false,
      starting: false,
      problems: [],
      failures: [],
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
    if (file.size === 0) return this.set({phase: 'refused', problems: [{code: 'BAD_USER_INPUT', message: messages.files.errors.emptyFile}]})
    try {
      const shown = await this.server.upload(file, this.state.settings, sent => this.set({sent}), this.stop.signal)
      if (this.stopped()) return this.abandon(shown.id)
      this.set({shown, phase: 'checking'})
      await this.follow(shown.id)
    } catch (error) {
      if (!this.stopped()) this.set({phase: 'refused', problems: problemsIn(error)})
    }
  }

  /** Follows an import that was begun before the page was loaded. */
  resume = (id: string): Promise<void> => this.follow(id)

  edit = (mapping: Mapping): void => this.set({mapping, edited: true, problems: [], failures: []})

  /** Changes the settings. Apostrophes are in the names of columns as well, so without them the mapping is inferred again. */
  configure = (change: Partial<Settings>): void =>
    this.set({
      settings: {...this.state.settings, ...change},
      ...(change.removeApostrophes === undefined ? {} : {mapping: null}),
      edited: true,
      problems: [],
      failures: [],
    })

  /** Reads the file differently, and infers the mapping again, because its columns can be others. */
  reread = async (change: Reading): Promise<void> => {
    const {mapping, reading, phase, starting} = this.state
    if (starting || (phase !== 'review' && phase !== 'refused')) return
    this.former = {mapping, reading, phase}
    this.set({mapping: null, reading: {...reading, ...change}, edited: true, problems: []})
    await this.check()
    this.former = null
  }

  /** Returns what was shown before the file was to be read differently. It can be checked again. */
  private restored = (): Partial<RunState> => (this.former ? {...this.former, edited: true} : {})

  /** Makes a dry run with the mapping. */
  check = (): Promise<void> => this.start(true)

  /** Imports the file. */
  begin = (): Promise<void> => this.start(false)

  cancel = async (): Promise<void> => {
    const {shown, canceling} = this.state
    if (!shown || canceling) return
    this.set({canceling: true, failures: []})
    try {
      this.set({shown: await this.server.cancel(shown.id)})
    } catch (error) {
      // It may have ended; then the progress says so.
      if (!(error instanceof Refused && error.status === 409)) this.set({canceling: false, failures: problemsIn(error)})
    }
  }

  /** Reports whether the user has begun the import; the server may not have answered yet. */
  begun = (): boolean => this.state.phase === 'importing' || (this.state.starting && !this.dryRun)

  /** Ends the requests, and what is not imported yet. The server continues an import. */
  close = (): void => {
    const {phase, shown} = this.state
    this.stop.abort()
    if (phase === 'checking' && shown) this.abandon(shown.id)
  }

  /** Cancels an import whose dialog was closed. There is nothing left that could show a failure. */
  private abandon(id: string): void {
    void this.server.cancel(id).catch(() => undefined)
  }

  /** Reports whether the requests have ended because of close. */
  stopped = (): boolean => this.stop.signal.aborted

  private async start(dryRun: boolean): Promise<void> {
    const {shown, mapping, reading, settings, phase, starting} = this.state
    if (!shown || starting || (phase !== 'review' && !this.former)) return
    this.dryRun = dryRun
    this.set({starting: true, failures: [], canceling: false})
    let begun: Import
    try {
      begun = await this.server.start(shown.id, {...settings, dryRun, mapping: mapping ?? reading})
    } catch (error) {
      const now = await this.begunNevertheless(shown.id, dryRun, error)
      if (!now && this.stopped()) return
      if (!now) return this.set({starting: false, failures: problemsIn(error), ...this.restored()})
      begun = now
    }
    this.set({starting: false})
    if (this.stopped()) return dryRun ? this.abandon(begun.id) : undefined // the dialog or the page was closed
    this.set({shown: begun, phase: dryRun ? 'checking' : 'importing'})
    await this.follow(begun.id)
  }

  /** Returns the import if only the response to its start was lost; otherwise null. */
  private async begunNevertheless(id: string, dryRun: boolean, error: unknown): Promise<Import | null> {
    if (error instanceof Refused && error.status === 400) return null
    const now = await this.server.show(id).catch(() => null)
    return now && now.dryRun === dryRun && (!dryRun || isOpen(now)) ? now : null
  }

  /** Asks for the progress until the import has ended. */
  private async follow(id: string): Promise<void> {
    for (let i = 0; !this.stopped(); i++) {
      await this.pause(pauses[Math.min(i, pauses.length - 1)]!)
      if (this.stopped()) return
      try {
        const shown = await this.server.show(id)
        if (this.stopped()) return
        this.set({shown, silent: null, phase: shown.dryRun ? 'checking' : 'importing'})
        if (!isOpen(shown)) return await this.ended(shown)
      } catch (error) {
        const [problem] = problemsIn(error)
        if (!passesAlone(problem!)) return this.lost(problem!)
        this.set({silent: problem!})
      }
    }
  }

  /** Ends the requests for the progress, because they fail for good. */
  private lost(problem: Problem): void {
    const {shown, checked} = this.state
    if (shown && !shown.dryRun) {
      const message = messages.files.errors.lost(problem.message)
      this.set({silent: null, phase: 'done', problems: [{...problem, message}], canceling: false})
    } else this.set({silent: null, phase: checked ? 'review' : 'refused', ...(checked ? {failures: [problem], edited: true} : {problems: [problem]})})
  }

  private async ended(shown: Import): Promise<void> {
    const problems = shown.errors.length > 0 ? ofBodies(shown.errors) : []
    if (!shown.dryRun) return this.set({phase: 'done', problems, canceling: false})
    if (!shown.columns || !shown.mapping || shown.status === 'CANCELED') {
      const reason: Problem[] = problems.length > 0 ? problems : [{code: 'INTERNAL', message: messages.files.errors.checkCanceled}]
      return this.set({phase: this.state.checked ? 'review' : 'refused', problems: reason, canceling: false, ...this.restored()})
    }
    const adjusted = this.state.mapping ? null : this.adjust(shown.mapping)
    this.set({
      checked: shown,
      mapping: adjusted ?? shown.mapping,
      edited: adjusted !== null,
      problems: adjusted ? [] : problems,
      canceling: false,
      phase: 'review',
    })
    if (adjusted) await this.check()
  }

  private set(change: Partial<RunState>): void {
    this.replaceState({...this.state, ...change})
  }
}

const wait = (ms: number): Promise<void> => new Promise(resolve => setTimeout(resolve, ms))
