// The judge: gives its grade as JSON, and once refuses to.
module.exports = class {
  id() { return 'made-up-judge'; }
  async callApi(prompt) {
    if (prompt.includes('on Mondays')) return { output: 'I would rather not grade this.' };
    const good = prompt.includes('at nine');
    return { output: JSON.stringify({ pass: good, score: good ? 0.9 : 0.2, reason: good ? 'It names the hour.' : 'It names another hour.' }) };
  }
};
