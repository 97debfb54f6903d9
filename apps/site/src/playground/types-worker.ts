// Worker that checks types. Only this worker has the compiler, which loads slowly.
import { declarations } from 'site:contract-declarations'
import { TypeChecker, type TypeFault } from './type-checker.ts'

/** Question of the page: the code of a policy, and the number `at` of the question. */
export interface TypeQuestion {
  readonly at: number
  readonly code: string
}
/** Answer with the type errors in the code of the question `at`. */
export interface TypeAnswer {
  readonly at: number
  readonly faults: ReadonlyArray<TypeFault>
}

const checker = new TypeChecker(declarations)

onmessage = ({ data: { at, code } }: MessageEvent<TypeQuestion>) => {
  const answer: TypeAnswer = { at, faults: checker.faults(code) }
  postMessage(answer)
}
