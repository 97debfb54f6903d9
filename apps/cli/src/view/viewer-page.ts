import { Context, type Effect } from 'effect'
import type { TaggedProblem } from '@cloister/run'

/** Service that reads the HTML page of the viewer, without a log inside. */
export class ViewerPage extends Context.Service<ViewerPage, { readonly read: Effect.Effect<string, TaggedProblem> }>()(
  'cloister/ViewerPage',
) {}
