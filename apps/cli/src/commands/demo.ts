import { demonstratePolicies } from '../demo/demo.ts'
import { Command } from 'effect/cli'
import { jsonFlag, type Options } from './flags.ts'

const flags = { json: jsonFlag }

export const demo = Command.make('demo', flags, (options) => demonstratePolicies(options)).pipe(
  Command.withDescription(
    'Simulate a trace under two policies, and compare the runs\nThe policies are Baseline and Jigsaw. The event logs of the runs are in the folder runs/.',
  ),
)
