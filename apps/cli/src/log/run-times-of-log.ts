import type { Header } from '@cloister/eventlog'
import { OptionError, runTimesOf } from '@cloister/run'
import type { Topology } from '@cloister/topology'
import { Effect } from 'effect'
import { HeaderFieldError } from '../errors/errors.ts'

/** Returns the run time model in a log's header (`options.runTimes`), or undefined if placement changes no run time. */
export const runTimesOfLog = ({ options }: Header, topology: Topology) =>
  Effect.mapError(runTimesOf(options.runTimes, topology), (error) =>
    error instanceof OptionError ? new HeaderFieldError({ field: 'options.runTimes', reason: error.reason }) : error,
  )
