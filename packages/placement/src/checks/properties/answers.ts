import type { NoAnswer } from '../asker.ts'
import type { Defect, Property } from '../question.ts'

/** `defect` finds nothing: `Asker` throws `NoAnswer` without an answer, and `play` reports this property. */
export const answers: Property = {
  name: 'every request gets an answer in time: a placement or a refusal',
  standsOn: [],
  isBasis: true,
  applies: () => true,
  defect: () => undefined,
}

export function defectOf({ message, question: { scene, request } }: NoAnswer): Defect {
  return { message, test: ['expect(outcomeDefect(outcome)).toBeUndefined()'], scene, request }
}
