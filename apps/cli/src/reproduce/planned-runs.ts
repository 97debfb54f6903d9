import { Records, type Reproduction, Runs, Traces } from '@cloister/reproduce'
import { attempt, canonicalSpec, type GivenSpec, type RunSpec, specKey } from '@cloister/run'
import { Effect } from 'effect'
import { runFiles } from '../run/inputs.ts'

/** Options that change which runs an experiment has. */
interface PlannedOptions {
  /** Value of `--reservation` for EASY in every run; undefined for the reservation of each experiment. */
  readonly reservation: GivenSpec['reservation']
}

/** Returns the canonical description of a run of an experiment. */
export const canonical = (given: GivenSpec, { reservation }: PlannedOptions) =>
  attempt(() => canonicalSpec(reservation === undefined ? given : { ...given, reservation }, runFiles))

/** Returns the runs of reproductions, in order and each once, without running them. */
export const plannedRuns = Effect.fnUntraced(function* (
  chosen: ReadonlyArray<Reproduction>,
  traces: Traces['Service'],
  options: PlannedOptions,
) {
  const planned = new Map<string, RunSpec>()
  const note = Effect.fnUntraced(function* (given: GivenSpec) {
    const spec = yield* canonical(given, options)
    planned.set(specKey(spec), spec)
  })
  const runs: Runs['Service'] = {
    run: (given) => Effect.forEach(given, (each) => Effect.as(note(each), undefined)),
    time: () => Effect.succeed(0),
  }
  for (const { produce } of chosen)
    yield* produce.pipe(
      Effect.provideService(Runs, runs),
      Effect.provideService(Records, { watch: note }),
      Effect.provideService(Traces, traces),
    )
  return [...planned.values()]
})
