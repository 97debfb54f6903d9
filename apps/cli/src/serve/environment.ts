import { type Header, LogWriter } from '@cloister/eventlog'
import { createLogFile } from '@cloister/eventlog/node'
import { OrderFaultError } from '@cloister/kernel'
import type { QueueView } from '@cloister/ordering'
import {
  attempt,
  blamePolicy,
  execute,
  headerOf,
  type Run,
  type RunSpec,
  specKey,
  type TaggedProblem,
} from '@cloister/run'
import { Effect } from 'effect'
import { messageOf } from '../errors/message.ts'
import { program } from '../run/log-target.ts'
import { version } from '../version.ts'
import { Agent, EpisodeLeft, type Lines } from './agent.ts'
import { type Candidates, Offers } from './candidates.ts'
import { Episode } from './episode.ts'

/** Version of the messages in ENVIRONMENT.md. */
const PROTOCOL = 1

/**
 * Plays episodes with an agent until the end of its input. An error of an episode is the answer to the last message.
 *
 * @param given run of the command line, for each reset without options
 * @param candidates policies among whose placements the agent chooses; undefined if the run has one policy
 * @param prepareRun prepares the run of a reset with options
 */
export const playEpisodes = Effect.fnUntraced(function* <Services>(
  given: Run,
  candidates: Candidates | undefined,
  lines: Lines,
  prepareRun: (spec: RunSpec) => Effect.Effect<Run, TaggedProblem, Services>,
) {
  const agent = new Agent(lines, given.spec, candidates?.names.length ?? 0)
  for (let reset = agent.nextReset(); reset !== undefined; reset = agent.nextReset()) {
    const { spec, out } = reset
    const prepared = specKey(spec) === specKey(given.spec) ? Effect.succeed(given) : prepareRun(spec)
    yield* prepared.pipe(
      Effect.flatMap((run) => attempt(() => play(run, agent, candidates, out))),
      Effect.catch((error) => Effect.sync(() => agent.answer({ error: messageOf(error) }))),
    )
  }
})

/** Plays an episode to its end, or until the agent leaves the episode. */
function play(run: Run, agent: Agent, candidates: Candidates | undefined, out: string | undefined): void {
  const { config = {} } = run.spec
  const offersOf = candidates && ((header: Header) => new Offers(candidates, header, config))
  const episode = new Episode(run.workload.jobs.length, offersOf)
  const underAgent = withAgent(run, agent, candidates, episode)
  const file = out === undefined ? undefined : createLogFile(out)
  const sink = (lines: Uint8Array): void => {
    file?.write(lines)
    episode.add(lines)
  }
  try {
    const header = headerOf(underAgent, program)
    const writer = new LogWriter(header, run.topology, sink, run.hash, { chunks: 'record' })
    execute(underAgent, writer)
    agent.answer({ ...episode.observation(), done: true, summary: episode.summary() })
  } catch (error) {
    const cause = error instanceof OrderFaultError ? error.cause : error
    if (!(cause instanceof EpisodeLeft)) throw cause
  } finally {
    candidates?.choose()
    file?.close()
  }
}

/** Returns a run whose queue has the head that the agent chooses. All other jobs are in submit order. */
function withAgent(run: Run, agent: Agent, candidates: Candidates | undefined, episode: Episode): Run {
  let isFirst = true
  const score = ({ waiting }: QueueView, scores: Float64Array): void => {
    if (waiting.length === 0) return
    const ids = waiting.id.slice(0, waiting.length)
    const begin = isFirst ? { protocol: PROTOCOL } : {}
    isFirst = false
    const seen = blamePolicy(run.found, 'place', () => episode.observation())
    const check = (job: unknown, wrong: (reason: string) => never): void => {
      if (!(ids as ReadonlyArray<unknown>).includes(job))
        wrong(`job: found ${JSON.stringify(job) ?? 'nothing'}, which is not the id of a waiting job`)
    }
    const chosen = agent.nextAction(
      { ...begin, ...seen, done: false },
      (action, wrong) => {
        if (action !== undefined) return check(action.job, wrong)
        if (!episode.goesOn) wrong('wait: no event would come, because no job runs and no job will be submitted')
      },
      (job, wrong) => {
        check(job, wrong)
        return { candidates: blamePolicy(run.found, 'place', () => episode.offers!.of(String(job))) }
      },
    )
    const { job, placement } = chosen ?? {}
    candidates?.choose(job === undefined || placement === undefined ? undefined : { job, placement })
    scores.fill(job === undefined ? Infinity : 0, 0, waiting.length)
    if (job !== undefined) scores[ids.indexOf(job)] = -1
  }
  const ordering = { claims: { fixed: false }, score }
  return { ...run, newOrder: () => ({ order: { name: 'agent', version }, config: {}, ordering, eachStart: true }) }
}
