// The system under test: answers by the question, and fails for one.
module.exports = class {
  constructor(options) { this.label = options.config.name; this.late = options.config.late; }
  id() { return `museum:${this.label}`; }
  async callApi(prompt) {
    if (prompt.includes('ticket')) return { error: 'the search index is not reachable' };
    if (prompt.includes('open')) return { output: this.late ? 'It opens at ten.' : 'It opens at nine.' };
    return { output: 'It is closed on Mondays.', tokenUsage: { total: 12, prompt: 8, completion: 4 } };
  }
};
