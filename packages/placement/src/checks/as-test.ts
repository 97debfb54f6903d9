import { requestText, resourcesText } from './plain.ts'
import type { Shown } from './shrink.ts'
import type { Scene, SceneAllocation } from './scene.ts'
import type { Subject } from './subject.ts'

/** Returns the code of a test that shows a defect. An author can paste the test into the tests of the policy. */
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
    // A defect without further code is a missing answer, and `ask` throws or hangs.
    `${defect.test.length > 0 ? 'const outcome = ' : ''}ask(placer, state, asked)`,
    ...defect.test,
  ]
  return `test(${JSON.stringify(name)}, () => {\n${body.map((line) => `  ${line}\n`).join('')}})`
}

/** Returns code that makes a state, `stateOf(placer, topology, …)`, for a test with `placer` and `topology`. */
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

/**
 * Leaves out the id and the start order of a job, which seldom matter. The estimated end and communication may matter.
 */
function allocationAlone({ nodes, links, bandwidth, estimatedEnd, communicates }: SceneAllocation): SceneAllocation {
  return {
    nodes,
    links,
    ...(bandwidth === undefined ? {} : { bandwidth }),
    ...(estimatedEnd === undefined ? {} : { estimatedEnd }),
    ...(communicates === undefined ? {} : { communicates }),
  }
}
