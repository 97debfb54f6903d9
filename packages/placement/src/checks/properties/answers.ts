import type { NoAnswer } from '../asker.ts'
import type { Defect, Property } from '../question.ts'

/** `defect` finds nothing: if an answer is missing, `Asker` throws `NoAnswer`, and `play` reports the property. */
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
