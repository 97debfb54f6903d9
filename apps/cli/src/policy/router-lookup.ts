import { type Router, routerDefects } from '@cloister/placement'
import { builtInRouters, findRouter, type FoundRouter, OtherRouters, type TaggedProblem } from '@cloister/run'
import { Effect } from 'effect'
import { Problem } from '../errors/errors.ts'
import { nearest } from '../terminal/nearest.ts'
import { defaultExportOf, moduleFiles } from './import-module.ts'

/** Rule by which `--router` finds a router, for messages. */
export const routerRule = `--router takes, in this order:
  - none, or the name of a built-in router;
  - NAME, if @cloister/router-NAME or cloister-router-NAME is installed in the working directory;
  - the name of any package installed in the working directory;
  - the path of ${moduleFiles}.
The package or file exports the router by default.`

/** Finds a router in a package installed in the working directory, or in a file. */
export const routerOfModule = Effect.fnUntraced(function* (name: string): Effect.fn.Return<FoundRouter, TaggedProblem> {
  const { code, origin } = yield* defaultExportOf('router', name, 'router', routerDefects, () => {
    const close = nearest(name, ['none', ...builtInRouters().keys()])
    const meant = close === undefined ? '' : `; did you mean ${close}?`
    return new Problem(`there is no router ${JSON.stringify(name)}${meant}\n${routerRule}`)
  })
  return { router: code as Router, origin }
})

/** Finds a router by the value of `--router`, in the order of `routerRule`; undefined for `none`. */
export const lookUpRouter = (name: string): Effect.Effect<FoundRouter | undefined, TaggedProblem> =>
  findRouter(name).pipe(Effect.provideService(OtherRouters, routerOfModule))
