import { requestText, resourcesText } from './plain.ts'
import type { Shown } from './shrink.ts'
import type { Scene, SceneAllocation } from './scene.ts'
import type { Subject } from './subject.ts'

/** Returns the code of a vitest test that shows a defect, for the test file of the policy. */
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
    // If the defect is a missing answer, `defect.test` is empty, because `ask` itself throws or hangs.
    `${defect.test.length > 0 ? 'const outcome = ' : ''}ask(placer, state, asked)`,
    ...defect.test,
  ]
  return `test(${JSON.stringify(name)}, () => {\n${body.map((line) => `  ${line}\n`).join('')}})`
}

/** Returns the code `stateOf(placer, topology, …)`, which makes the state of a scene. */
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

/** The job's id and start order are left out, because few policies read them. */
function allocationAlone({ nodes, links, bandwidth, estimatedEnd, communicates }: SceneAllocation): SceneAllocation {
  return {
    nodes,
    links,
    ...(bandwidth === undefined ? {} : { bandwidth }),
    ...(estimatedEnd === undefined ? {} : { estimatedEnd }),
    ...(communicates === undefined ? {} : { communicates }),
  }
}
