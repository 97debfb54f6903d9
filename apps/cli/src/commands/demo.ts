import { Command } from 'effect/cli'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const demo = Command.make(
  'demo',
  { json: jsonFlag },
  onDemand(async () => (await import('../demo/demo.ts')).demonstratePolicies),
).pipe(
  Command.withDescription(
    'Simulate a trace under Baseline and Jigsaw, and compare the runs\nThe event logs of the two runs are in the folder runs/.',
  ),
)
