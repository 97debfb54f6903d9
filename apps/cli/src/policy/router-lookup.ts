import { type Router, routerDefects } from '@cloister/placement'
import { builtInRouters, findRouter, type FoundRouter, OtherRouters, type TaggedProblem } from '@cloister/run'
import { Effect } from 'effect'
import { Problem } from '../errors/errors.ts'
import { nearest } from '../terminal/nearest.ts'
import { defaultExport, importModule, moduleFiles, noDefaultExport } from './import-module.ts'
import { specifiersOf } from './installed-packages.ts'

/** Rule by which `--router` finds a router, for messages. */
export const routerRule = `--router takes, in this order:
  - none, or the name of a built-in router;
  - NAME, if @cloister/router-NAME or cloister-router-NAME is installed in the working directory;
  - the name of any package installed in the working directory;
  - the path of ${moduleFiles}.
The package or file exports the router by default.`

/** Finds a router in a package installed in the working directory, or in a file. */
export const routerOfModule = Effect.fnUntraced(function* (name: string): Effect.fn.Return<FoundRouter, TaggedProblem> {
  for (const specifier of specifiersOf('router', name)) {
    const exports = yield* importModule(specifier, 'router')
    if (exports === undefined) continue
    if (!('default' in exports)) return yield* noDefaultExport(specifier, exports, 'router')
    const router = defaultExport(exports)
    const problems = routerDefects(router).map((problem) => `  - ${problem}`)
    if (problems.length > 0)
      return yield* new Problem(`the default export of ${specifier} is no router:\n${problems.join('\n')}`)
    return { router: router as Router, origin: specifier }
  }
  const close = nearest(name, ['none', ...builtInRouters().keys()])
  return yield* new Problem(
    `there is no router ${JSON.stringify(name)}${close === undefined ? '' : `; did you mean ${close}?`}\n${routerRule}`,
  )
})

/** Finds a router by the value of `--router`, in the order of `routerRule`; undefined for `none`. */
export const lookUpRouter = (name: string): Effect.Effect<FoundRouter | undefined, TaggedProblem> =>
  findRouter(name).pipe(Effect.provideService(OtherRouters, routerOfModule))
