// Drives a real Slurm under disturbances for some minutes, checks that every job is driven or handed back, and prints
// figures as JSON. The exit code is 1 if a check has a finding.
// SIGINT (Ctrl-C) ends the disturbances early; the queue then empties, and the figures follow.
//   npm run pnpm -- --filter @cloister/soak run soak --minutes 120 --seed 7 --jobs-a-minute 20
import { parseArgs } from 'node:util'
import { whatIsMissing } from '@cloister/slurm-cluster'
import { soak } from './src/soak.ts'

const text = { type: 'string' } as const
const { values } = parseArgs({ options: { minutes: text, seed: text, 'jobs-a-minute': text } })
const number = (name: keyof typeof values, otherwise: number): number => {
  const value = Number(values[name] ?? otherwise)
  if (!(value > 0)) throw new Error(`--${name} is ${values[name]}; expected a number above 0`)
  return value
}
const missing = whatIsMissing()
if (missing !== undefined) throw new Error(missing)
const early = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => early.abort())
const report = await soak({
  minutes: number('minutes', 10),
  seed: number('seed', 7),
  jobsAMinute: number('jobs-a-minute', 20),
  early: early.signal,
  onProgress: (line) => console.error(line),
})
console.log(JSON.stringify(report, undefined, 2))
process.exitCode = report.findings.length === 0 ? 0 : 1
