import { attempt, prepare } from '@cloister/run'
import { Effect, Option } from 'effect'
import { Command, Flag } from 'effect/cli'
import { PolicyLookup } from '../policy/policy-lookup.ts'
import { runInputs } from '../run/inputs.ts'
import { prepareRun } from '../run/prepare-run.ts'
import { flagsBesideLog, runFlags, traceDirFlag } from '../run/run-flags.ts'
import { specOfFlags } from '../run/spec-of-flags.ts'
import { checkChoosable } from '../serve/agent.ts'
import { Candidates, CANDIDATES } from '../serve/candidates.ts'
import { playEpisodes } from '../serve/environment.ts'
import { standardInput } from '../serve/standard-input.ts'
import { Terminal } from '../terminal/terminal.ts'
import { onFlag, type Options, refuseIf, textFlag } from './flags.ts'

const { order: _order, orderConfig: _orderConfig, ...runFlagsOfAgent } = runFlags

const flags = {
  env: onFlag(
    'env',
    'Play episodes with an agent on standard input and output\nEach line is a JSON message: reset begins an episode, and step chooses the job that starts next. ENVIRONMENT.md of @cloister/ordering describes the messages.',
  ),
  placements: textFlag(
    'placements',
    'NAMES',
    'Policies among whose placements the agent chooses, separated by commas\nEach name is a value of --policy. --policy-config has the configurations by policy, such as {"jigsaw":{"order":"sparsest-first"}}. The log notes the policy of each start, as with --refusals.',
  ).pipe(Flag.optional),
  ...runFlagsOfAgent,
  policy: flagsBesideLog.policy,
  traceDir: traceDirFlag,
}

export const serve = Command.make('serve', flags, (options) => serveFlags(options)).pipe(
  Command.withDescription('Let an agent that learns choose the next job of the queue'),
  Command.withExamples([
    {
      command: 'cloister serve --env --trace synth:8:200 --topology radix:8 --policy baseline --queue fcfs',
      description: 'Play episodes with 200 synthetic jobs',
    },
  ]),
)

const serveFlags = Effect.fn(function* (given: Options<typeof flags>) {
  yield* refuseIf(!given.env, 'serve: needs --env, which plays episodes with an agent on standard input and output')
  const candidates = yield* candidatesOf(given)
  const placing = { policy: Option.some(CANDIDATES), refusals: Option.some(true) }
  const spec = yield* specOfFlags(candidates === undefined ? given : { ...given, ...placing })
  yield* attempt(() => checkChoosable(spec))
  const folder = Option.getOrUndefined(given.traceDir)
  const lookup = yield* PolicyLookup
  const find = (name: string) =>
    candidates === undefined || name !== CANDIDATES ? lookup.find(name) : Effect.succeed(candidates)
  const withCandidates = Effect.provideService(PolicyLookup, { ...lookup, find })
  const run = yield* prepareRun(spec, folder).pipe(withCandidates)
  const { write } = yield* Terminal
  const lines = { read: standardInput(), write: (line: string) => write(`${line}\n`) }
  yield* playEpisodes(run, candidates, lines, (other) =>
    prepare(other).pipe(Effect.provide(runInputs(folder)), withCandidates),
  )
})

/** Finds the policies of `--placements`; undefined without the option. */
const candidatesOf = Effect.fnUntraced(function* ({ placements, policy }: Options<typeof flags>) {
  const hasOne = Option.isSome(placements) !== Option.isSome(policy)
  yield* refuseIf(!hasOne, 'serve: needs either --policy, or --placements for a choice among several policies')
  if (Option.isNone(placements)) return undefined
  const { find } = yield* PolicyLookup
  const found = yield* Effect.forEach(placements.value.split(','), (name) => find(name.trim()))
  return yield* attempt(() => new Candidates(found))
})
