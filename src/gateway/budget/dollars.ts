/** US dollars for reading; what is less than a cent keeps its first digit. */
export function dollars(amount: number): string {
  return amount > 0 && amount < 0.01 ? `$${amount.toPrecision(1)}` : `$${amount.toFixed(2)}`
}
