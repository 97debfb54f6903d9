// The playground's page as HTML, made by the build of the site.
import { renderToString } from 'preact-render-to-string'
import { stored } from 'site:stored-runs'
import { Playground } from './playground.tsx'

export const html: string = renderToString(<Playground stored={stored} given={undefined} />)
