import { requestText, resourcesText } from './plain.ts'
import type { Shown } from './shrink.ts'
import type { Scene, SceneAllocation } from './scene.ts'
import type { Subject } from './subject.ts'

/**
 * Returns the code of a vitest test that fails because of a defect. An author can paste the code into a test file of
 * the policy.
 */
export function asTest({ machine, config }: Subject, name: string, { questions, defect }: Shown): string {
  const last = questions.at(-1)!
  const scene = defect.scene ?? last.scene
  const request = requestText(defect.request ?? last.request)
  const body = [
    `const topology = ${machine.code}`,
    `const config = ${JSON.stringify(config)}`,
    'const { placer } = bindPolicy(policy, topology, config)',
    ...questions
      .slice(0, -1)
      .map((earlier) => `ask(placer, ${stateText(earlier.scene)}, ${requestText(earlier.request)})`),
    `const state = ${stateText(scene)}`,
    `const asked = ${request}`,
    // If the defect is a missing answer, its `test` is empty, because `ask` itself throws or hangs.
    `${defect.test.length > 0 ? 'const outcome = ' : ''}ask(placer, state, asked)`,
    ...defect.test,
  ]
  return `test(${JSON.stringify(name)}, () => {\n${body.map((line) => `  ${line}\n`).join('')}})`
}

/**
 * Returns code that makes the state of a scene: `stateOf(placer, topology, …)`. The code needs variables `placer` and
 * `topology`.
 */
export function stateText({ running, ahead, down, withheld }: Scene): string {
  const lists = Object.entries({
    running: running.map(allocationAlone),
    ahead: ahead.map(allocationAlone),
    down,
    withheld,
  })
    .filter(([, list]) => list.length > 0)
    .map(
      ([name, list]) =>
        `    ${name}: [\n${list.map((each) => `      ${resourcesText({ ...each })},\n`).join('')}    ],\n`,
    )
  return `stateOf(placer, topology${lists.length === 0 ? '' : `, {\n${lists.join('')}  }`})`
}

/** Returns the allocation without the job's id and start order, which few policies read. */
function allocationAlone({ nodes, links, bandwidth, estimatedEnd, communicates }: SceneAllocation): SceneAllocation {
  return {
    nodes,
    links,
    ...(bandwidth === undefined ? {} : { bandwidth }),
    ...(estimatedEnd === undefined ? {} : { estimatedEnd }),
    ...(communicates === undefined ? {} : { communicates }),
  }
}
