export {
  execute,
  headerOf,
  headerWithoutChecksum,
  ineffectiveOptions,
  loggedOptions,
  record,
  run,
  runPromise,
} from './execute.ts'
export type { IneffectiveOption, OnProgress, RunTo, Watching } from './execute.ts'
export { simulatedJobs, type SimulatedJobs } from './simulated-jobs.ts'
export { type Applied, prepare, type Run, type RunSource, workloadOfLog } from './prepare.ts'

export {
  flagOf,
  orderDescriptions,
  parseQueue,
  queueForms,
  routerDescriptions,
  runOptionNames,
  runOptions,
} from './options.ts'
export type { RunOptionName, RunOptions } from './options.ts'
export type { JsonObject, OptionGroup, OptionKind, Presence, RunOption } from './option.ts'
export { canonicalSpec, commandWords, describeSpec, formatCommand, meaningsOf, optionOf } from './spec.ts'
export { optionWords, quoteWord, specKey } from './spec.ts'
export type { AnyOption, GivenSpec, RunMeanings, RunSpec, UncheckedSpec } from './spec.ts'
export { ExperimentError, parseExperiment } from './experiment.ts'

export {
  formatCommunication,
  matrixPaths,
  parseCommunication,
  readMatrices,
  withCommunication,
} from './communication.ts'
export type { Communication, MatrixFile } from './communication.ts'
export { parseOutages } from './outages.ts'
export { countOverruns, decidesResults, holdsUpOthers, shareOfNodeTime } from './assumptions.ts'
export { runTimesOf } from './run-times.ts'
export { bind, blamePolicy, builtIn, forbidExit } from './policy.ts'
export { type PolicyOption, policyOptions } from './policy-options.ts'
export { findOrder } from './queue-order.ts'
export { builtInRouters, findRouter, routerTables, routingOf } from './routing.ts'
export { loadOptions, type PlainServices, plainServices } from './plain-services.ts'
export { Hash, OtherOrders, OtherRouters, Policies, RunFiles, StopAfter, Traces } from './services.ts'
export type { AnyPolicy, FoundPolicy, FoundRouter, TraceOptions } from './services.ts'
export {
  attempt,
  attemptLater,
  FileError,
  inSlices,
  isTagged,
  OptionError,
  optionError,
  PolicyFailedError,
  RouterFailedError,
  SystemError,
} from './errors.ts'
export type { TaggedProblem } from './errors.ts'
