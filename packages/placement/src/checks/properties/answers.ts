import type { NoAnswer } from '../asker.ts'
import type { Defect, Property } from '../question.ts'

/**
 * Property that every answered question keeps. `Asker` detects a missing answer and throws `NoAnswer`; `play` then
 * reports this property as broken.
 */
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
