import { requestText, resourcesText } from './plain.ts'
import type { Shown } from './shrink.ts'
import type { Held, Scene } from './scene.ts'
import type { Subject } from './subject.ts'

/** A test that shows a defect, to be pasted into the policy's own tests. */
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
    // What gives no answer ends the test here.
    `${defect.test.length > 0 ? 'const outcome = ' : ''}ask(placer, state, asked)`,
    ...defect.test,
  ]
  return `test(${JSON.stringify(name)}, () => {\n${body.map((line) => `  ${line}\n`).join('')}})`
}

/** A state with these contents as code, for a test that has `placer` and `topology`: `stateOf(placer, topology, …)`. */
export function stateText({ running, ahead, down, withheld }: Scene): string {
  const lists = Object.entries({ running: running.map(heldAlone), ahead: ahead.map(heldAlone), down, withheld })
    .filter(([, list]) => list.length > 0)
    .map(
      ([name, list]) =>
        `    ${name}: [\n${list.map((each) => `      ${resourcesText({ ...each })},\n`).join('')}    ],\n`,
    )
  return `stateOf(placer, topology${lists.length === 0 ? '' : `, {\n${lists.join('')}  }`})`
}

/** Who holds it matters seldom; when it ends and whether it communicates may. */
function heldAlone({ nodes, links, bandwidth, estimatedEnd, communicates }: Held): Held {
  return {
    nodes,
    links,
    ...(bandwidth === undefined ? {} : { bandwidth }),
    ...(estimatedEnd === undefined ? {} : { estimatedEnd }),
    ...(communicates === undefined ? {} : { communicates }),
  }
}
