import type { JSX } from 'preact'

/** Header of a column whose cells plot shares from 0 to 100 %. */
export function PlotColumn(): JSX.Element {
  return (
    <th scope="col" class="plot">
      <span aria-hidden="true" class="scale">
        <span>0%</span>
        <span>50%</span>
        <span>100%</span>
      </span>
      <span class="visually-hidden">Plot</span>
    </th>
  )
}
