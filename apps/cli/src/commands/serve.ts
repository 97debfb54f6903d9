import { prepare } from '@cloister/run'
import { attempt } from '@cloister/run/node'
import { Effect, Option } from 'effect'
import { Command } from 'effect/cli'
import { runInputs } from '../run/inputs.ts'
import { prepareRun } from '../run/prepare-run.ts'
import { runFlags, traceDirFlag } from '../run/run-flags.ts'
import { specOfFlags } from '../run/spec-of-flags.ts'
import { checkChoosable } from '../serve/agent.ts'
import { playEpisodes } from '../serve/environment.ts'
import { standardInput } from '../serve/standard-input.ts'
import { Terminal } from '../terminal/terminal.ts'
import { onFlag, type Options, refuseIf } from './flags.ts'

const { order: _order, orderConfig: _orderConfig, ...runFlagsOfAgent } = runFlags

const flags = {
  env: onFlag(
    'env',
    'Play episodes with an agent on standard input and output\nEach line is a JSON message: reset begins an episode, and step chooses the job that starts next. ENVIRONMENT.md of @cloister/ordering describes the messages.',
  ),
  ...runFlagsOfAgent,
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
  const spec = yield* specOfFlags(given)
  yield* attempt(() => checkChoosable(spec))
  const folder = Option.getOrUndefined(given.traceDir)
  const run = yield* prepareRun(spec, folder)
  const { write } = yield* Terminal
  const lines = { read: standardInput(), write: (line: string) => write(`${line}\n`) }
  yield* playEpisodes(run, lines, (other) => prepare(other).pipe(Effect.provide(runInputs(folder))))
})
