// The running jobs of a project, such as the conversion of a field's values. They are asked for every second while there are any.
import type {ApolloClient} from '@apollo/client'
import {CancelJobDocument, JobsDocument, type JobFragment} from '../../gql/graphql'
import {ask} from './source'
import {Store} from './store'

export type Job = JobFragment

interface Listener {
  /** Called for each job that has ended since it was seen, or since `watch` was told of it. */
  ended: (job: Job) => void
  /** Called when no job runs any more. */
  settled: () => void
}

const isActive = ({status}: Job): boolean => status === 'WAITING' || status === 'CHECKING' || status === 'RUNNING'

const interval = 1000
/** The interval after a failure. */
const longInterval = 5000

/** How often a job that was just started is asked for until it is listed. */
const mostAttempts = 10

export interface JobsState {
  active: readonly Job[]
  /** The jobs that failed since the page was opened, the last one first. */
  failed: readonly Job[]
}

export class Jobs extends Store<JobsState> {
  private readonly expected = new Set<string>()
  /** The remaining attempts to find each job that was started and is not listed yet. */
  private readonly started = new Map<string, number>()
  private isWatching = false
  private isAskedAgain = false
  private isStopped = false

  constructor(
    private readonly client: ApolloClient,
    private readonly project: string,
    private readonly listener: Listener,
    private readonly pause = (ms: number): Promise<void> => new Promise(done => setTimeout(done, ms)),
  ) {
    super({active: [], failed: []})
  }

  /** Asks for the jobs until none runs. The ID of a job that was just started is given, because it can have ended before it is first seen. */
  watch = (started?: string): void => {
    this.isStopped = false
    if (started) this.started.set(started, mostAttempts)
    this.isAskedAgain = true
    if (!this.isWatching) void this.run()
  }

  stop = (): void => {
    this.isStopped = true
  }

  /** Cancels a job that has changed nothing yet. It throws the error of the server. */
  async cancel(id: string): Promise<void> {
    await this.client.mutate({mutation: CancelJobDocument, variables: {input: {id, idempotencyKey: crypto.randomUUID()}}})
    this.watch(id)
  }

  private isBusy = (): boolean => this.state.active.length > 0 || this.started.size > 0

  private async run(): Promise<void> {
    this.isWatching = true
    while (!this.isStopped && (this.isAskedAgain || this.isBusy())) {
      this.isAskedAgain = false
      try {
        const {project} = await ask(this.client, JobsDocument, {project: this.project})
        this.take(project?.jobs ?? [])
        if (this.isBusy()) await this.pause(interval)
      } catch {
        this.isAskedAgain = true
        await this.pause(longInterval)
      }
    }
    this.isWatching = false
    if (!this.isStopped) this.listener.settled()
  }

  private take(jobs: readonly Job[]): void {
    const active = jobs.filter(isActive)
    for (const {id} of active) this.expected.add(id)
    for (const [id, attempts] of this.started) {
      if (jobs.some(j => j.id === id)) this.expected.add(id)
      else if (attempts > 1) {
        this.started.set(id, attempts - 1)
        continue
      }
      this.started.delete(id)
    }
    const ended = jobs.filter(j => !isActive(j) && this.expected.delete(j.id))
    this.replaceState({active, failed: [...ended.filter(j => j.status === 'FAILED'), ...this.state.failed]})
    ended.forEach(this.listener.ended)
  }
}
