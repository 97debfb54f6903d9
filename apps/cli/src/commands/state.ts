import { showState } from '../log/state.ts'
import { Command, Flag } from 'effect/cli'
import { jsonFlag, logArgument, momentFlags, onFlag, textFlag, type Options } from './flags.ts'

const flags = {
  log: logArgument,
  ...momentFlags,
  routes: onFlag(
    'routes',
    'Show the forwarding table of one switch\nThe routing is partition routing if the policy allocates links to jobs, and D-mod-k for other policies.',
  ),
  switch: textFlag('switch', 'NAME', 'Switch for --routes, default: leaf0\nExamples: leaf3, l2-0, spine7.').pipe(
    Flag.optional,
  ),
  idle: onFlag(
    'idle',
    'Count nodes by use: busy, beyond the request, down, idle\nIf enough nodes for a waiting job are idle, the policy of the log runs, and gives the reason why the job does not start.',
  ),
  policy: textFlag(
    'policy',
    'NAME',
    'Policy of the log for --idle, as a file or a package\nNeeded if the policy of the log is not built in.',
  ).pipe(Flag.optional),
  json: jsonFlag,
}

export const state = Command.make('state', flags, (options) => showState(options)).pipe(
  Command.withDescription('Show queue and machine at one moment of a run'),
  Command.withExamples([
    { command: 'cloister state run.ndjson --at 3600', description: 'Show the state after the first hour' },
    { command: 'cloister state run.ndjson --seq 1000 --json', description: 'Show the state after record 1000' },
    {
      command: 'cloister state run.ndjson --at 3600 --idle',
      description: 'Count idle nodes, and show why they are idle',
    },
    {
      command: 'cloister state run.ndjson --at 3600 --routes --switch leaf3',
      description: 'Show the forwarding table of leaf 3',
    },
  ]),
)
