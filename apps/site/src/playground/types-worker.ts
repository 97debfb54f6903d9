// The worker that checks types. The compiler in this worker loads slowly, and nothing else needs the compiler.
import { declarations } from 'site:contract-declarations'
import { TypeChecker, type TypeFault } from './type-checker.ts'

/** Question of the page. */
export interface TypeQuestion {
  readonly at: number
  readonly code: string
}
/** Answer to the question `at`. */
export interface TypeAnswer {
  readonly at: number
  readonly faults: ReadonlyArray<TypeFault>
}

const checker = new TypeChecker(declarations)

onmessage = ({ data: { at, code } }: MessageEvent<TypeQuestion>) => {
  const answer: TypeAnswer = { at, faults: checker.faults(code) }
  postMessage(answer)
}
