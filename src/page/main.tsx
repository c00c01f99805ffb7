import { render } from 'preact'
import { App } from './app.tsx'
import { readOverview } from './format.ts'
import { messageOf } from '../lib/errors.ts'

const root = document.getElementById('app')
if (root !== null) await show(root)

async function show(element: HTMLElement): Promise<void> {
  try {
    render(<App overview={await readOverview()} />, element)
  } catch (error) {
    const reason = messageOf(error)
    render(
      <p role="alert">
        The report cannot be shown: {reason} Open it in a current browser, or write it again with agent-evals view.
      </p>,
      element,
    )
  }
}
