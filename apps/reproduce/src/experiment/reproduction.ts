import type { QueueOptions } from '@cloister/kernel'
import type { GivenSpec, TaggedProblem } from '@cloister/run'
import { Effect } from 'effect'
import type { Report } from '../report/report.ts'
import type { Records, Runs, StoredOutputs, Traces } from './services.ts'

/** Reproducible figure or table of a paper, or an experiment of our own. */
export interface Reproduction {
  readonly name: string
  readonly title: string
  /** Paper, with its section, figure or table. */
  readonly source: string
  readonly produce: Experiment<Records>
  /** True if the experiment reads the records of its runs. */
  readonly readsRecords?: true
  /** Reason why the runs write no event log; absent if every run writes an event log. */
  readonly withoutLogs?: WithoutLogs
}

/** Reproduction in a list. The type requires `readsRecords` of each experiment that needs the service `Records`. */
export type Listed = Omit<Reproduction, 'produce' | 'readsRecords'> &
  ({ readonly produce: Experiment } | { readonly produce: Experiment<Records>; readonly readsRecords: true })

/** Program that runs an experiment on the job logs at hand, and returns the experiment's report. */
export type Experiment<Further = never> = Effect.Effect<Report, TaggedProblem, Further | Runs | StoredOutputs | Traces>

/** Queue discipline with its options. */
export type Discipline = { readonly queue: string } & Pick<GivenSpec, keyof QueueOptions>

/** Reason why a reproduction writes no event log. `cloister reproduce` then refuses `--audit` and `--keep-logs`. */
export interface WithoutLogs {
  /** Kind of the runs. `timed`: runs of `simulate` without a log; `none`: no runs of `simulate`. */
  readonly runs: 'timed' | 'none'
  /** Clause after "writes no event log:" in the message of the refusal. */
  readonly reason: string
}

/**
 * Returns the experiment that a module exports under a name. The module is loaded when the experiment runs, so a list of
 * experiments loads no code.
 */
export function onDemand<Name extends string, Module extends Readonly<Record<Name, Experiment<Records>>>>(
  load: () => Promise<Module>,
  name: Name,
): Module[Name] {
  return Effect.flatMap(Effect.promise(load), (module) => module[name]) as Module[Name]
}

/** Textbook EASY: a window of 50 jobs, movable reservations, and no further options of EASY. */
export const textbookEasy: Discipline = {
  queue: 'easy:50',
  reservation: 'movable',
  windowOrder: 'queue',
  replan: false,
}

/** Queue discipline of our own figures of Mosaic: the largest job of the window first, with `replan`. */
export const ours: Discipline = { ...textbookEasy, windowOrder: 'largest', replan: true }
