import { Command } from 'effect/cli'
import { jsonFlag } from './flags.ts'
import { onDemand } from './on-demand.ts'

export const demo = Command.make(
  'demo',
  { json: jsonFlag },
  onDemand(async () => (await import('../demo/demo.ts')).demonstratePolicies),
).pipe(
  Command.withDescription(
    'Simulate a trace under two policies, and compare the runs\nThe policies are Baseline and Jigsaw. The event logs of the runs are in the folder runs/.',
  ),
)
