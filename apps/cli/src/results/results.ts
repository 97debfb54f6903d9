// Schemas of the results of all commands with --json. Commands import only types from this folder, so that no command
// loads the schemas; the site and the tests load the schemas.
import { auditResults } from './audit.ts'
import { benchResults } from './bench.ts'
import { calibrateResults } from './calibrate.ts'
import { capacityResults } from './capacity.ts'
import { diffResults } from './diff.ts'
import { errorResults } from './error.ts'
import { explainResults } from './explain.ts'
import { filesResults } from './files.ts'
import { fuzzResults } from './fuzz.ts'
import { machinesResults } from './machines.ts'
import { metricsResults } from './metrics.ts'
import { policiesResults } from './policies.ts'
import { queryResults } from './query.ts'
import { reproduceResults } from './reproduce.ts'
import { rerunResults } from './rerun.ts'
import { runResults } from './runs.ts'
import { stateResults } from './state.ts'
import { sweepResults } from './sweep.ts'
import { tracesResults } from './traces.ts'

/** Schema of the result of each command, by the words of the command after `cloister`; `error` for any failed command. */
export const results = {
  ...auditResults,
  ...benchResults,
  ...calibrateResults,
  ...capacityResults,
  ...diffResults,
  ...errorResults,
  ...explainResults,
  ...filesResults,
  ...fuzzResults,
  ...machinesResults,
  ...metricsResults,
  ...policiesResults,
  ...queryResults,
  ...reproduceResults,
  ...rerunResults,
  ...runResults,
  ...stateResults,
  ...sweepResults,
  ...tracesResults,
}

/** Words of a command with `--json`, or `error`. */
export type ResultName = keyof typeof results

/** Result of a command with `--json`. */
export type ResultOf<Name extends ResultName> = (typeof results)[Name]['Type']

type Primitive = string | number | boolean | null | undefined
type KeysOf<T> = T extends unknown ? keyof T : never
type At<T, Key> = T extends { readonly [K in Key & PropertyKey]?: infer Value } ? Value : never

/**
 * Names of the fields of `Value`, at any depth up to 8, that no alternative of `Described` has; `never` if there are
 * none. JSON leaves out functions, so a function is no field.
 */
type Excess<Value, Described, Depth extends ReadonlyArray<1> = []> = unknown extends Described
  ? never
  : Depth['length'] extends 8
    ? never
    : Value extends Primitive
      ? never
      : Value extends ReadonlyArray<infer Item>
        ? Excess<Item, Described extends ReadonlyArray<infer Each> ? Each : never, [...Depth, 1]>
        : {
            [Key in keyof Value]-?: Value[Key] extends (...args: any) => unknown
              ? never
              : Key extends KeysOf<Described>
                ? Excess<Value[Key], At<Described, Key>, [...Depth, 1]>
                : Key
          }[keyof Value]

/** `Value` if the schema of a result has every field of `Value`, otherwise a type with the names of the other fields. */
export type Exactly<Value, Name extends ResultName> = [Excess<Value, ResultOf<Name>>] extends [never]
  ? Value
  : { readonly fieldsWithoutSchema: Excess<Value, ResultOf<Name>> }
